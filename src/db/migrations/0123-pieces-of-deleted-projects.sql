-- A version of the service without layouts deletes projects, and does not delete their layouts and partials first.
alter table template_pieces
  drop constraint template_pieces_project_id_fkey,
  add constraint template_pieces_project_id_fkey foreign key (project_id) references projects on delete cascade;
