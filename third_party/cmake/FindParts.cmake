# Where tools/setup put an outside part: the folder NAME-VERSION-KEY of the
# cache, KEY being the start of the SHA-256 of third_party/recipes/NAME.sh.
# tools/setup computes the same name.

if(DEFINED ENV{LOWTIDE_CACHE})
  set(LOWTIDE_CACHE "$ENV{LOWTIDE_CACHE}")
elseif(DEFINED ENV{XDG_CACHE_HOME})
  set(LOWTIDE_CACHE "$ENV{XDG_CACHE_HOME}/lowtide")
else()
  set(LOWTIDE_CACHE "$ENV{HOME}/.cache/lowtide")
endif()

# lowtide_find_part(onnx prefix) sets prefix, or stops and says what to do.
function(lowtide_find_part name result)
  set(recipe ${PROJECT_SOURCE_DIR}/third_party/recipes/${name}.sh)
  set_property(DIRECTORY ${PROJECT_SOURCE_DIR} APPEND PROPERTY
    CMAKE_CONFIGURE_DEPENDS ${recipe})
  file(STRINGS ${recipe} version REGEX "^version=" LIMIT_COUNT 1)
  string(REPLACE "version=" "" version "${version}")
  file(SHA256 ${recipe} key)
  string(SUBSTRING ${key} 0 12 key)
  set(prefix ${LOWTIDE_CACHE}/${name}-${version}-${key})
  if(NOT IS_DIRECTORY ${prefix})
    message(FATAL_ERROR
      "${name} ${version} isn't at ${prefix}: run tools/setup first")
  endif()
  set(${result} ${prefix} PARENT_SCOPE)
endfunction()
