# Debian packages by CPack: `./dev package`. The preset `package` lays the files out for them. Components are packages:
# proofd (the programs), a package for each library by its soname, libproofd-dev, and, where what they are made of is,
# proofd-cluster, proofd-doc, python3-proofd and node-proofd.
option(PD_PACKAGE "lay out the installed files for Debian packages" OFF)
if(NOT PD_PACKAGE)
  return()
endif()

install(FILES server/daemon/proofd.conf.example DESTINATION /etc/proofd RENAME proofd.conf)
install(FILES server/package/README.Debian DESTINATION ${CMAKE_INSTALL_DOCDIR})

# The date of the changelog: that of the commit, so that the same tree gives the same package.
execute_process(COMMAND git log -1 --format=%cd --date=rfc WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
  OUTPUT_VARIABLE CPACK_PD_DATE OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
if(NOT CPACK_PD_DATE)
  string(TIMESTAMP CPACK_PD_DATE "%a, %d %b %Y %H:%M:%S +0000" UTC)
endif()

set(CPACK_GENERATOR DEB)
set(CPACK_SET_DESTDIR ON) # for what lies in /etc
set(CPACK_STRIP_FILES ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_COMPONENTS_ALL proofd libproofd0 libproofd-probe0 libproofd-dev)
if(TARGET proofd-nats)
  list(APPEND CPACK_COMPONENTS_ALL proofd-cluster)
endif()
if(TARGET site)
  list(APPEND CPACK_COMPONENTS_ALL proofd-doc)
endif()
if(TARGET client_packages)
  list(APPEND CPACK_COMPONENTS_ALL python3-proofd node-proofd)
  install(DIRECTORY ${PROJECT_BINARY_DIR}/clients/python/proofd DESTINATION lib/python3/dist-packages
    COMPONENT python3-proofd PATTERN "__pycache__" EXCLUDE)
  install(DIRECTORY ${PROJECT_BINARY_DIR}/clients/node/ DESTINATION ${CMAKE_INSTALL_DATADIR}/nodejs/proofd
    COMPONENT node-proofd PATTERN "README.md" EXCLUDE)
  foreach(language python node)
    string(REPLACE "python" "python3" package ${language}-proofd)
    pd_installed_page(${package}.md clients/${language}/README.md)
    install(FILES ${PROJECT_BINARY_DIR}/doc/${package}.md DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${package}
      RENAME README.md COMPONENT ${package})
  endforeach()
endif()
set(CPACK_PACKAGE_NAME proofd)
set(CPACK_PACKAGE_CONTACT "The proofd developers <proofd@localhost>" CACHE STRING "maintainer of the packages")
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)

# A package: its component, section, one line on it, and a paragraph.
function(pd_package component section summary text)
  string(TOUPPER ${component} name)
  set(CPACK_DEBIAN_${name}_PACKAGE_NAME ${component} PARENT_SCOPE)
  set(CPACK_DEBIAN_${name}_PACKAGE_SECTION ${section} PARENT_SCOPE)
  set(CPACK_DEBIAN_${name}_DESCRIPTION "${summary}\n${text}" PARENT_SCOPE)
endfunction()
pd_package(proofd science "proof server for two-player games" "proofd answers questions about positions of two-player games by
proof-number search: who wins, or what the value is. It takes questions as
jobs, searches them for as long as they take, and keeps all proved facts on
disk across crashes and restarts. proofctl is its client and solves locally as
well; proofcheck verifies certificates on its own.")
pd_package(libproofd0 libs "client library of the proof server proofd" "libproofd is a blocking client in C of proofd, which proves positions of
two-player games: it submits jobs, waits for them, and queries positions.")
pd_package(libproofd-probe0 libs "probes the proven positions of proofd" "libproofd-probe reads proven positions of two-player games from a data
directory of proofd, next to the server or without one.")
pd_package(libproofd-dev libdevel "development files of libproofd and libproofd-probe" "Headers, pkg-config files and examples for programs in C or C++ that use
libproofd, the client library of the proof server proofd, or libproofd-probe,
which reads proven positions from its data directory.")
pd_package(proofd-cluster science "lets proofd search on many machines" "Lets a proofd have workers on other machines, and a machine be such a worker:
both load libproofd-nats.so and connect to a NATS server.")
pd_package(proofd-doc doc "documentation of the proof server proofd" "Tutorial, manual pages, rules of the games, protocol, formats and the
architecture of proofd as a site with a search, which a browser opens from
/usr/share/doc/proofd-doc/html/index.html.")
pd_package(python3-proofd python "client library of the proof server proofd for Python 3" "A client of proofd, which proves positions of two-player games: blocking and
for asyncio, with types. It needs the standard library only.")
pd_package(node-proofd javascript "client library of the proof server proofd for Node.js" "A client of proofd, which proves positions of two-player games, without
dependencies and with types for TypeScript.")

set(CPACK_DEBIAN_PROOFD_PACKAGE_SUGGESTS "proofd-doc, python3")
set(CPACK_DEBIAN_PYTHON3-PROOFD_PACKAGE_DEPENDS "python3:any (>= 3.9)")
set(CPACK_DEBIAN_NODE-PROOFD_PACKAGE_DEPENDS "nodejs (>= 18)")
foreach(package PROOFD-DOC PYTHON3-PROOFD NODE-PROOFD) # the same for every processor
  set(CPACK_DEBIAN_${package}_PACKAGE_ARCHITECTURE all)
  set(CPACK_DEBIAN_${package}_PACKAGE_SHLIBDEPS OFF)
endforeach()
set(CPACK_DEBIAN_PROOFD_PACKAGE_DEPENDS "adduser, init-system-helpers (>= 1.54~)")
set(pd_same "(= ${PROJECT_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE})")
set(CPACK_DEBIAN_LIBPROOFD-DEV_PACKAGE_DEPENDS "libproofd0 ${pd_same}, libproofd-probe0 ${pd_same}")
set(CPACK_DEBIAN_PROOFD-CLUSTER_PACKAGE_DEPENDS "proofd ${pd_same}")
foreach(script postinst prerm postrm conffiles)
  list(APPEND CPACK_DEBIAN_PROOFD_PACKAGE_CONTROL_EXTRA ${PROJECT_SOURCE_DIR}/server/package/${script})
endforeach()
set(CPACK_DEBIAN_PYTHON3-PROOFD_PACKAGE_CONTROL_EXTRA ${PROJECT_SOURCE_DIR}/server/package/python3/postinst
  ${PROJECT_SOURCE_DIR}/server/package/python3/prerm)
foreach(package ${CPACK_COMPONENTS_ALL})
  if(package STREQUAL "proofd")
    continue()
  endif()
  install(FILES LICENSE ${PROJECT_BINARY_DIR}/doc/CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${package}
    COMPONENT ${package})
endforeach()
foreach(package LIBPROOFD0 LIBPROOFD-PROBE0)
  set(CPACK_DEBIAN_${package}_PACKAGE_CONTROL_EXTRA ${PROJECT_SOURCE_DIR}/server/package/triggers)
endforeach()
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/server/package/compress.cmake)
include(CPack)
