#include "server/jobs/model/job_client.h"

#include <stdlib.h>
#include <string.h>

#include "proto/base/assert.h"

struct sv_job_client *sv_client_find(struct sv_job_clients *clients, const char *name)
{
	struct sv_job_client *client;
	if (!name)
		return &clients->nameless;
	LIST_FOREACH(client, &clients->list, link)
		if (!strcmp(client->name, name))
			return client;
	return NULL;
}

struct sv_job_client *sv_client_get(struct sv_job_clients *clients, const char *name)
{
	struct sv_job_client *client = sv_client_find(clients, name);
	if (client)
		return client;
	client = calloc(1, sizeof *client);
	char *copy = strdup(name);
	if (!client || !copy) {
		free(client);
		free(copy);
		return NULL;
	}
	client->name = copy;
	LIST_INSERT_HEAD(&clients->list, client, link);
	return client;
}

static void forget_client(struct sv_job_client *client)
{
	LIST_REMOVE(client, link);
	free(client->name);
	free(client);
}

void sv_client_put(struct sv_job_clients *clients, struct sv_job_client *client)
{
	PD_ASSERT(client->open <= client->jobs);
	if (client != &clients->nameless && !client->jobs && !client->submitting)
		forget_client(client);
}

void sv_client_submitted(struct sv_job_clients *clients, const char *name)
{
	struct sv_job_client *client = sv_client_find(clients, name);
	PD_ASSERT(client && client->submitting);
	client->submitting--;
	sv_client_put(clients, client);
}

void sv_clients_fini(struct sv_job_clients *clients)
{
	while (!LIST_EMPTY(&clients->list))
		forget_client(LIST_FIRST(&clients->list));
}
