-- Whoever appends a message knows its thread, and lists it in the statement that writes it (src/store/list-new.ts). That statement says so by the
-- time at which it began, which no other one has. The trigger goes on to list what is copied and moved, and what code of before appends.
create or replace trigger messages_came after insert on messages
  referencing new table as new_rows for each statement
  when (current_setting('posthorn.listed_at', true) is distinct from statement_timestamp()::text)
  execute function conversations_came();
