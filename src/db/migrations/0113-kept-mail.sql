-- migration: one by one
-- Mail that was kept and read teaches the spam filter too (docs/operate/spam.md, What is learned). Its lessons have a kind of their own, so that
-- they do not displace those that users taught, and any later action of a user replaces them. `kept` counts them; `ham` includes
-- them.
alter table mailbox_spam_lessons
  drop constraint if exists mailbox_spam_lessons_kind_check,
  add constraint mailbox_spam_lessons_kind_check check (kind in ('junk', 'ham', 'kept')) not valid;
alter table mailbox_spam_lessons validate constraint mailbox_spam_lessons_kind_check;
alter table mailbox_spam_training add column if not exists kept integer not null default 0;
