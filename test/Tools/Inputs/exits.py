"""exits.py CODE COMMAND...: runs the command, wants that exit code and shows
what it said, standard error first. A crash and
a run of more than a minute fail whatever CODE is."""
import subprocess
import sys

wanted, command = int(sys.argv[1]), sys.argv[2:]
ran = subprocess.run(command, capture_output=True, timeout=60, check=False)
sys.stdout.write(ran.stderr.decode() + ran.stdout.decode())
if ran.returncode != wanted:
    sys.exit(f"exit code {ran.returncode}, wanted {wanted}: {command}")
