# clients/python and clients/node in the build directory: the client libraries as packages for pip and npm, with the
# parts that stubs.py generates.
if(NOT Python3_FOUND)
  message(STATUS "without Python 3: no client libraries for Python and Node")
  return()
endif()
add_executable(openrpc server/api/openrpc_main.c)
target_link_libraries(openrpc PRIVATE core)
file(GLOB_RECURSE package_files CONFIGURE_DEPENDS clients/python/* clients/node/*)
list(FILTER package_files EXCLUDE REGEX "__pycache__")
add_custom_command(OUTPUT ${PROJECT_BINARY_DIR}/clients/openrpc.json
  COMMAND openrpc > ${PROJECT_BINARY_DIR}/clients/openrpc.json
  COMMAND ${Python3_EXECUTABLE} -B ${PROJECT_SOURCE_DIR}/clients/stubs.py ${PROJECT_BINARY_DIR}/clients/openrpc.json
    ${PROJECT_BINARY_DIR}/clients
  DEPENDS openrpc clients/stubs.py ${package_files} VERBATIM)
add_custom_target(client_packages ALL DEPENDS ${PROJECT_BINARY_DIR}/clients/openrpc.json)
