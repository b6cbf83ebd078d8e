-- The header fields that lists of mail apps are made of, as they stand in the message (src/rfc/imap/usual-fields.ts). Null: they have to be read from its bytes.
alter table message_contents add column usual_fields text;
