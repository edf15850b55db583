/* Job records: what decodes is written again as a record that decodes to the same. */
#include <string.h>

#include "server/jobs/model/job_record.h"
#include "store/store.h"
#include "tests/fuzz/fuzz.h"

FUZZ(job)
{
	struct sv_record job, again;
	struct pd_buf one, two;
	struct pd_fail fail = {0};
	if (size > ST_JOB_MAX)
		return 0;
	int rc = sv_record_read(7, data, size, &job, &fail);
	if (rc) {
		FUZZ_CHECK(fail.code == rc && fail.text[0]);
		return 0;
	}
	pd_buf_init(&one, ST_JOB_MAX);
	pd_buf_init(&two, ST_JOB_MAX);
	sv_record_write(&job, &one);
	if (!one.failed) {
		FUZZ_CHECK(!sv_record_read(7, one.data, one.size, &again, &fail));
		sv_record_write(&again, &two);
		FUZZ_CHECK(!two.failed && one.size == two.size && !memcmp(one.data, two.data, one.size));
		sv_record_fini(&again);
	}
	pd_buf_fini(&one);
	pd_buf_fini(&two);
	sv_record_fini(&job);
	return 0;
}
