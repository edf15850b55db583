# The port over NATS, for searching on many machines: a module that proofd loads when workers are asked for, so that
# nothing else depends on libnats. Its files are a package of their own, proofd-cluster.
set(PD_NATS AUTO CACHE STRING "build libproofd-nats.so: ON, OFF, or AUTO, where libnats is installed")
set_property(CACHE PD_NATS PROPERTY STRINGS AUTO ON OFF)
if(NOT PD_NATS)
  return()
endif()
if(PD_NATS STREQUAL "AUTO")
  pkg_check_modules(NATS IMPORTED_TARGET libnats)
else()
  pkg_check_modules(NATS REQUIRED IMPORTED_TARGET libnats)
endif()
if(NOT NATS_FOUND)
  message(STATUS "without libnats: no libproofd-nats.so, and proofd has no --workers (libnats-dev)")
  return()
endif()

file(GLOB nats_sources CONFIGURE_DEPENDS server/cluster/nats/*.c)
# Its own copy of what it uses of base, because the program exports no symbols.
add_library(proofd-nats MODULE ${nats_sources} proto/base/assert.c proto/base/clock.c proto/base/error.c
  proto/base/mutex.c proto/base/random.c)
set_target_properties(proofd-nats PROPERTIES C_VISIBILITY_PRESET hidden)
# There are few thread variables (mutex.c in debug builds). LeakSanitizer finds those of a module only in this model.
target_compile_options(proofd-nats PRIVATE -ftls-model=initial-exec)
# Threads of libnats run in it until the process ends.
target_link_options(proofd-nats PRIVATE -Wl,-z,nodelete)
target_link_libraries(proofd-nats PRIVATE pd_flags PkgConfig::NATS PkgConfig::CRYPTO Threads::Threads)
install(TARGETS proofd-nats LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/proofd COMPONENT proofd-cluster)
install(FILES server/cluster/README.md DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/proofd-cluster COMPONENT proofd-cluster)
install(DIRECTORY server/cluster/examples DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/proofd-cluster
  COMPONENT proofd-cluster USE_SOURCE_PERMISSIONS)
