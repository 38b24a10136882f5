-- Indexes for the gateway's own queries. Lists of events run newest first by id, so each filter gets its id along.
CREATE INDEX flaggraph_events_project_type_id ON events (project, type, id DESC);
CREATE INDEX flaggraph_events_feature_name_id ON events (feature_name, id DESC);
CREATE INDEX flaggraph_events_type_id ON events (type, id DESC);
CREATE INDEX flaggraph_events_created_by_user_id_id ON events (created_by_user_id, id DESC);
CREATE INDEX flaggraph_events_environment_id ON events (environment, id DESC);
CREATE INDEX flaggraph_features_project ON features (project);
CREATE INDEX flaggraph_integration_events_integration_id_id ON integration_events (integration_id, id DESC);

-- Looked up on every request of a personal token.
CREATE INDEX flaggraph_personal_access_tokens_secret ON personal_access_tokens (secret);
