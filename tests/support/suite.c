#include "tests/support/suite.h"

int suite_run(const char *name, void (*add_tests)(TCase *c))
{
	Suite *suite = suite_create(name);
	TCase *c = tcase_create(name);
	add_tests(c);
	suite_add_tcase(suite, c);
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? 1 : 0;
}
