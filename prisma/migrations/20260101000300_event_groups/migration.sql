-- Which events were written together, in the columns that Unleash 7 has for it.
ALTER TABLE events ADD COLUMN group_type text, ADD COLUMN group_id text;
CREATE INDEX flaggraph_events_group_id_id ON events (group_id, id DESC);
