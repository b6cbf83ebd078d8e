-- The values of the last email sent with each template, for the preview of the template (docs/templates.md). Only a background write fills
-- it (src/templates/template-uses.ts). The values are content of the email, so they are deleted with its bodies: by a trigger, so that
-- older code deletes them too.
create table template_uses (
  project_id uuid not null,
  template_id uuid not null,
  email_id uuid not null,
  -- JSON of an object
  variables text not null,
  primary key (project_id, template_id),
  foreign key (project_id, template_id) references templates on delete cascade
);

create function delete_template_use() returns trigger language plpgsql as $$
begin
  delete from template_uses
  where project_id = old.project_id and template_id = old.template_id and email_id = old.email_id;
  return null;
end $$;
create trigger email_contents_delete_template_use after delete or update of bodies_deleted_at on email_contents
  for each row when (old.template_id is not null) execute function delete_template_use();
