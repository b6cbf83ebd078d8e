-- Layouts and partials of templates, and one draft per template (docs/templates.md).
create table template_pieces (
  project_id uuid not null references projects,
  id uuid not null,
  kind text not null check (kind in ('layout', 'partial')),
  name text not null,
  html text not null,
  text text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (project_id, id),
  unique (project_id, kind, name)
);

-- `html` and `text` contain the layout and the partials, so that emails are filled from this row alone. If a template uses any, `source_html`
-- and `source_text` are the template as it was written. They count only while `composed_at` equals `updated_at`: a version of the service
-- without layouts changes only `html`, `text` and `updated_at`.
alter table templates
  add column layout_id uuid,
  add column piece_ids uuid[] not null default '{}',
  add column source_html text,
  add column source_text text,
  add column composed_at timestamptz,
  add foreign key (project_id, layout_id) references template_pieces;

-- No reference: a version stays when its layout is deleted.
alter table template_versions add column layout_id uuid;

create table template_shared_drafts (
  project_id uuid not null,
  template_id uuid not null,
  -- changes with each change of the draft
  revision uuid not null,
  subject text not null,
  html text not null,
  text text not null,
  -- no reference, as above
  layout_id uuid,
  sample text not null,
  -- the author of the last change
  actor_name text not null,
  updated_at timestamptz not null,
  -- when the version was published with which the draft began
  based_on timestamptz not null,
  primary key (project_id, template_id),
  foreign key (project_id, template_id) references templates on delete cascade
);

-- The newest draft of each template becomes the draft that all users share.
insert into template_shared_drafts (project_id, template_id, revision, subject, html, text, sample, actor_name, updated_at, based_on)
select distinct on (d.project_id, d.template_id) d.project_id, d.template_id, gen_random_uuid(), d.subject, d.html, d.text, d.sample,
  u.email, d.updated_at, coalesce(d.based_on, least(d.updated_at, t.updated_at))
from template_drafts d join templates t on t.project_id = d.project_id and t.id = d.template_id join users u on u.id = d.user_id
order by d.project_id, d.template_id, d.updated_at desc;
