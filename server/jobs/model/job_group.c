#include "server/jobs/model/job_group.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/assert.h"
#include "server/jobs/model/removed_jobs.h"

enum { MARK = '@' };

int sv_group_name_check(const char *name, const char *what, struct pd_fail *fail)
{
	size_t size = strlen(name);
	if (size && size <= SV_GROUP_NAME_MAX &&
	    strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-") == size)
		return PD_OK;
	return pd_fail_set(fail, PD_E_PARAMS, what,
			   "a name in '%s' has 1 to %d letters, digits, dots, hyphens or underscores; '%.40s' has "
			   "others",
			   what, SV_GROUP_NAME_MAX, name);
}

struct sv_job_group *sv_group_find(const struct sv_job_groups *groups, const char *name)
{
	struct sv_job_group *group;
	LIST_FOREACH(group, &groups->list, link)
		if (!strcmp(group->name, name))
			return group;
	return NULL;
}

struct sv_job_group *sv_group_get(struct sv_job_groups *groups, const char *name)
{
	if (!name)
		return &groups->nameless;
	struct sv_job_group *group = sv_group_find(groups, name), *other, *before = NULL;
	if (group)
		return group;
	group = calloc(1, sizeof *group);
	char *copy = strdup(name);
	if (!group || !copy) {
		free(group);
		free(copy);
		return NULL;
	}
	group->name = copy;
	LIST_FOREACH(other, &groups->list, link)
		if (strcmp(other->name, name) < 0)
			before = other;
	if (before)
		LIST_INSERT_AFTER(before, group, link);
	else
		LIST_INSERT_HEAD(&groups->list, group, link);
	groups->count++;
	return group;
}

static void forget_group(struct sv_job_groups *groups, struct sv_job_group *group)
{
	LIST_REMOVE(group, link);
	PD_ASSERT(groups->count > 0);
	groups->count--;
	free(group->set.jobs);
	free(group->name);
	free(group);
}

void sv_group_put(struct sv_job_groups *groups, struct sv_job_group *group)
{
	PD_ASSERT(group->set.count >= group->queued);
	if (group == &groups->nameless || group->set.count || group->running || group->pins || group->settings.limit ||
	    group->settings.paused)
		return;
	forget_group(groups, group);
}

void sv_group_unpin(struct sv_job_groups *groups, struct sv_job_group *group)
{
	PD_ASSERT(group->pins > 0);
	group->pins--;
	sv_group_put(groups, group);
}

void sv_groups_fini(struct sv_job_groups *groups)
{
	while (!LIST_EMPTY(&groups->list))
		forget_group(groups, LIST_FIRST(&groups->list));
	free(groups->nameless.set.jobs);
	groups->nameless.set = (struct sv_job_set){0};
}

bool sv_groups_restore(struct sv_job_groups *groups, const struct sv_removed_jobs *note)
{
	for (size_t i = 0; i < note->count; i++) {
		if (note->range[i].version[0] != MARK)
			continue;
		struct sv_job_group *group = sv_group_get(groups, note->range[i].version + 1);
		if (!group)
			return false;
		group->settings = (struct sv_group_settings){note->range[i].first, note->range[i].last != 0};
	}
	return true;
}

bool sv_group_note(struct sv_removed_jobs *note, const char *name, struct sv_group_settings settings)
{
	char word[SV_GROUP_NAME_MAX + 2];
	int size = snprintf(word, sizeof word, "%c%s", MARK, name);
	PD_ASSERT(size > 1 && (size_t)size < sizeof word);
	return sv_removed_jobs_set(note, word, settings.limit, settings.paused);
}

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
