/* TLS that is not ready, or is so no more, sends nothing: whether it is ready is in the client's hands. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "server/net/tls.h"
#include "tests/support/suite.h"

static struct nt_tls_identity *identity_new(void)
{
	char dir[] = "/tmp/proofd-tls-XXXXXX", cert[64], key[64], command[512];
	struct nt_tls_identity *identity = NULL;
	struct pd_fail fail;
	ck_assert_ptr_nonnull(mkdtemp(dir));
	snprintf(cert, sizeof cert, "%s/cert", dir);
	snprintf(key, sizeof key, "%s/key", dir);
	snprintf(command, sizeof command,
		 "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=proofd "
		 "-keyout %s -out %s 2>/dev/null",
		 key, cert);
	ck_assert_int_eq(system(command), 0);
	ck_assert_msg(!nt_tls_identity_open(cert, key, &identity, &fail), "%s", fail.text);
	unlink(cert);
	unlink(key);
	rmdir(dir);
	return identity;
}

START_TEST(what_is_not_ready_sends_nothing)
{
	static const char record[] = "\x16\x03\x01\x00\x04what";
	struct nt_tls_identity *identity = identity_new();
	struct nt_tls *tls = nt_tls_new(identity);
	struct pd_buf out;
	char plain[100];
	pd_buf_init(&out, 1 << 16);
	ck_assert(!nt_tls_ready(tls) && !nt_tls_send(tls, "x", 1, &out));
	nt_tls_close_notify(tls, &out);
	ck_assert_uint_eq(out.size, 0);
	ck_assert(nt_tls_put(tls, record, sizeof record - 1));
	ck_assert_int_eq(nt_tls_take(tls, plain, sizeof plain, &out), NT_TLS_BROKEN);
	ck_assert_ptr_nonnull(nt_tls_why(tls));
	size_t alert = out.size;
	ck_assert_uint_eq((unsigned char)out.data[0], 0x15);
	ck_assert(!nt_tls_ready(tls) && !nt_tls_send(tls, "x", 1, &out));
	nt_tls_close_notify(tls, &out);
	ck_assert_uint_eq(out.size, alert);
	pd_buf_fini(&out);
	nt_tls_free(tls);
	nt_tls_identity_close(identity);
}
END_TEST

SUITE(tls_send)
{
	tcase_add_test(c, what_is_not_ready_sends_nothing);
}
