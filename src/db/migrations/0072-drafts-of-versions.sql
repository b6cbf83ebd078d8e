-- When that was saved which the writer of a draft began with; null: code of before wrote the draft.
alter table template_drafts add column based_on timestamptz;
