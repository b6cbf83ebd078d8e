-- Made because a folder in it was, and not asked for itself: who asks for it while it never held a message gets it. Code of before takes it for any other.
alter table folders add column unasked boolean not null default false;
