-- migration: one by one
-- Folders whose older messages are still to be listed as conversations: none, some time after the upgrade.
create index concurrently if not exists folders_unlisted on folders (project_id, mailbox_id, id) where unlisted_below > 1;
