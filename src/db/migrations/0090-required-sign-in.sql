-- What an organisation requires of a sign-in: 'second-factor' or 'openid'; null: nothing more than a password.
alter table organizations add column required_sign_in text;

-- How a session was proved. Sessions that older code begins prove neither, and are asked again where it is required.
alter table sessions
  add column with_second_factor boolean not null default false,
  add column with_openid boolean not null default false;
