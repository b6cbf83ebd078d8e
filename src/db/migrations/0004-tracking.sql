-- Tracking: what is asked for a domain, and what was asked when an email was accepted.

-- Null: as the project has it.
alter table domains
  add column track_opens boolean,
  add column track_clicks boolean;

alter table email_contents
  -- Null: nothing is tracked. What stood when the email was accepted: every attempt carries the same links.
  add column tracking json,
  -- W3C traceparent of the accepting request, where somebody traces
  add column trace_parent text;
