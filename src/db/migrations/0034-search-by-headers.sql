-- What SEARCH, SORT and THREAD of IMAP ask of a message, and what only its bytes said before. Null: of a row that was written earlier.
alter table message_contents
  -- all header fields in normal form (src/store/facts/header-text.ts)
  add column header text,
  -- the day of its Date field as it is written, whatever the zone (RFC 9051, section 6.4.4, SENTON)
  add column sent_on date,
  -- the Message-IDs that it answers, the oldest first (RFC 5256, section 3)
  add column ancestors text[];
