-- When that was saved which the writer of a draft began with; null: code of before wrote the draft.
alter table template_drafts add column based_on timestamptz;

-- Of the files of live links, as they were announced; null: code of before counted the day.
alter table usage_days add column file_link_bytes bigint;
