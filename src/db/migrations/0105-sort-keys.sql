-- What SORT of IMAP compares for FROM, TO, CC, DISPLAYFROM and DISPLAYTO (src/store/find/sort-messages.ts), so that it does not parse the
-- addresses of each message. Null: older code stored the message, and the keys are computed from `addresses`, `envelope` and `header`.
alter table message_contents add column sort_keys text;
