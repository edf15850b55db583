#include "server/net/server_config.h"

void nt_config_init(struct nt_config *config)
{
	*config = (struct nt_config){.listen = "127.0.0.1:4590", .stall_s = 60, .idle_s = 60, .buffers_max = 256 << 20};
}
