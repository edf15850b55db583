# libproofd and libproofd-probe: shared objects, made of the same objects as the programs. Nothing of them but proofd_*
# is seen from outside.
option(PD_LIBRARIES "build libproofd and libproofd-probe" ON)
if(NOT PD_LIBRARIES)
  return()
endif()

# A shared library of files, and of what they need of static libraries; `description` for pkg-config.
function(pd_shared target description files)
  string(REPLACE "lib" "" name ${target})
  add_library(${target} SHARED ${files} proto/json.c)
  set_target_properties(${target} PROPERTIES OUTPUT_NAME ${name} VERSION ${PROJECT_VERSION} SOVERSION 0
    C_VISIBILITY_PRESET hidden)
  target_compile_definitions(${target} PRIVATE PD_IN_PROGRAM)
  # dlclose leaves it where it is: signal handlers (store/guard.c) may not go away while others call on to them.
  target_link_options(${target} PRIVATE -Wl,--gc-sections,-z,nodelete)
  target_link_libraries(${target} PRIVATE pd_flags Threads::Threads m ${ARGN})
  target_include_directories(${target} INTERFACE ${PROJECT_BINARY_DIR}/include)
  configure_file(clients/libproofd/library.pc.in ${target}.pc @ONLY)
  install(TARGETS ${target} LIBRARY COMPONENT ${target}0 NAMELINK_COMPONENT libproofd-dev)
  install(FILES ${PROJECT_BINARY_DIR}/${target}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig
    COMPONENT libproofd-dev)
endfunction()

file(RELATIVE_PATH up_from_pkgconfig /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
pd_shared(libproofd "client of a proof server"
  "$<TARGET_OBJECTS:connection>" proto base PkgConfig::JANSSON PkgConfig::OPENSSL)
file(GLOB probe_sources CONFIGURE_DEPENDS clients/probe/*.c)
pd_shared(libproofd-probe "proven facts, read from a data directory of a proof server"
  "${probe_sources};solver/stored.c;solver/one_ply.c;solver/known.c;solver/table_theorem.c;server/common/game_tables.c" proto store games base PkgConfig::LMDB PkgConfig::JANSSON)

# Each header in one piece.
pd_installed_header(client.h "a client of a proof server" clients/libproofd/error.h
  clients/libproofd/types.h clients/libproofd/client.h)
pd_installed_header(probe.h "facts from a data directory" clients/libproofd/error.h clients/probe/probe.h)
install(FILES ${PROJECT_BINARY_DIR}/include/proofd/client.h ${PROJECT_BINARY_DIR}/include/proofd/probe.h
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/proofd COMPONENT libproofd-dev)
pd_installed_page(libproofd.md clients/libproofd/README.md ../probe/README.md libproofd-probe.md)
pd_installed_page(libproofd-probe.md clients/probe/README.md)
install(FILES ${PROJECT_BINARY_DIR}/doc/libproofd.md ${PROJECT_BINARY_DIR}/doc/libproofd-probe.md
  DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/libproofd-dev COMPONENT libproofd-dev)
