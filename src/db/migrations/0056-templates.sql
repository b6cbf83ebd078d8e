-- Sending by template: what templates said after each save, which template an email was made of, and data for trying it out.
create table template_versions (
  project_id uuid not null,
  template_id uuid not null,
  -- of the moment of the save
  id uuid not null,
  name text not null,
  subject text not null,
  html text not null,
  text text not null,
  -- as in audit_log
  actor_kind text not null,
  actor_name text not null,
  created_at timestamptz not null,
  primary key (project_id, template_id, id),
  foreign key (project_id, template_id) references templates on delete cascade
);

-- No reference: what was sent stays when the template is deleted.
alter table email_contents add column template_id uuid;

-- JSON of an object: what the dashboard fills the template in with when it is looked at.
alter table templates add column sample text;

-- What somebody has written and not saved: it is looked at, and not lost with the page.
create table template_drafts (
  project_id uuid not null,
  template_id uuid not null,
  user_id uuid not null references users on delete cascade,
  subject text not null,
  html text not null,
  text text not null,
  sample text not null,
  updated_at timestamptz not null,
  primary key (project_id, template_id, user_id),
  foreign key (project_id, template_id) references templates on delete cascade
);
create index template_drafts_user on template_drafts (user_id, updated_at);
