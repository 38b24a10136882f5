-- The admin layout of version 6.6: names, types, defaults, keys and indexes are those of the service whose database the
-- gateway usually attaches to, so that tools written for the one understand the other. Parents come before children.

-- Environments and projects --------------------------------------------------------------------------------------------

CREATE TABLE environments (
  name       varchar(100) PRIMARY KEY,
  created_at timestamptz DEFAULT now(),
  sort_order integer DEFAULT 9999,
  type       text NOT NULL,
  enabled    boolean DEFAULT true,
  protected  boolean DEFAULT false
);

CREATE TABLE projects (
  id          varchar(255) PRIMARY KEY,
  name        varchar NOT NULL,
  description varchar,
  created_at  timestamp DEFAULT now(),
  health      integer DEFAULT 100,
  updated_at  timestamptz DEFAULT now(),
  archived_at timestamptz
);

CREATE TABLE project_environments (
  project_id       varchar(255) NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  environment_name varchar(100) NOT NULL REFERENCES environments (name) ON DELETE CASCADE,
  default_strategy jsonb,
  PRIMARY KEY (project_id, environment_name)
);
CREATE INDEX project_environments_environment_idx ON project_environments (environment_name);

CREATE TABLE project_settings (
  project                    varchar(255) PRIMARY KEY REFERENCES projects (id) ON DELETE CASCADE,
  default_stickiness         varchar(100),
  project_mode               varchar(100) NOT NULL DEFAULT 'open',
  feature_limit              integer,
  feature_naming_pattern     text,
  feature_naming_example     text,
  feature_naming_description text,
  CONSTRAINT project_settings_project_mode_values CHECK (project_mode IN ('open', 'protected', 'private'))
);

CREATE TABLE project_stats (
  project                              varchar(255) PRIMARY KEY REFERENCES projects (id) ON DELETE CASCADE,
  avg_time_to_prod_current_window      double precision DEFAULT 0,
  project_changes_current_window       integer DEFAULT 0,
  project_changes_past_window          integer DEFAULT 0,
  features_created_current_window      integer DEFAULT 0,
  features_created_past_window         integer DEFAULT 0,
  features_archived_current_window     integer DEFAULT 0,
  features_archived_past_window        integer DEFAULT 0,
  project_members_added_current_window integer DEFAULT 0
);
-- Repeats the primary key, as the layout does; inside CREATE TABLE PostgreSQL would merge the two.
ALTER TABLE project_stats ADD CONSTRAINT project_stats_project_key UNIQUE (project);

CREATE TABLE settings (
  name    varchar(255) PRIMARY KEY,
  content json
);

-- Users, roles and tokens ----------------------------------------------------------------------------------------------

CREATE TABLE users (
  id                 serial PRIMARY KEY,
  name               varchar(255),
  username           varchar(255) UNIQUE,
  email              varchar(255) UNIQUE,
  image_url          text,
  password_hash      varchar(255),
  login_attempts     integer DEFAULT 0,
  created_at         timestamp DEFAULT now(),
  seen_at            timestamp,
  settings           json,
  permissions        json DEFAULT '[]',
  deleted_at         timestamptz,
  is_service         boolean DEFAULT false,
  created_by_user_id integer,
  is_system          boolean NOT NULL DEFAULT false,
  scim_id            text,
  scim_external_id   text,
  first_seen_at      timestamp,
  email_hash         varchar(32)
);
CREATE UNIQUE INDEX users_scim_id_unique_idx ON users (scim_id) WHERE scim_id IS NOT NULL;
CREATE UNIQUE INDEX users_scim_external_id_uniq_idx ON users (scim_external_id) WHERE scim_external_id IS NOT NULL;

CREATE TABLE roles (
  id                 serial PRIMARY KEY,
  name               text NOT NULL CONSTRAINT unique_name UNIQUE,
  description        text,
  type               text NOT NULL DEFAULT 'custom',
  created_at         timestamptz DEFAULT now(),
  updated_at         timestamptz,
  created_by_user_id integer
);

CREATE TABLE permissions (
  id           serial NOT NULL,
  permission   varchar(255) PRIMARY KEY,
  display_name text,
  type         varchar(255),
  created_at   timestamptz DEFAULT now()
);
ALTER TABLE permissions ADD CONSTRAINT permission_unique UNIQUE (permission);

CREATE TABLE role_permission (
  role_id            integer NOT NULL REFERENCES roles (id) ON DELETE CASCADE,
  created_at         timestamptz DEFAULT now(),
  environment        varchar(100) CONSTRAINT fk_role_permission_environment REFERENCES environments (name) ON DELETE CASCADE,
  permission         text CONSTRAINT fk_role_permission_permission REFERENCES permissions (permission) ON DELETE CASCADE,
  created_by_user_id integer,
  id                 serial PRIMARY KEY
);
CREATE INDEX role_permission_role_id_idx ON role_permission (role_id);

-- No foreign key on project: `*` stands for all of them.
CREATE TABLE role_user (
  role_id            integer NOT NULL REFERENCES roles (id) ON DELETE CASCADE,
  user_id            integer NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  created_at         timestamptz DEFAULT now(),
  project            varchar(255) NOT NULL,
  created_by_user_id integer,
  PRIMARY KEY (role_id, user_id, project)
);
CREATE INDEX role_user_user_id_idx ON role_user (user_id);

CREATE TABLE groups (
  id               serial PRIMARY KEY,
  name             text NOT NULL,
  description      text,
  created_by       text,
  created_at       timestamptz NOT NULL DEFAULT now(),
  mappings_sso     jsonb DEFAULT '[]',
  root_role_id     integer CONSTRAINT fk_group_role_id REFERENCES roles (id),
  scim_id          text,
  scim_external_id text
);
CREATE INDEX groups_group_name_idx ON groups (name);
CREATE UNIQUE INDEX groups_scim_id_unique_idx ON groups (scim_id) WHERE scim_id IS NOT NULL;
CREATE UNIQUE INDEX groups_scim_external_id_uniq_idx ON groups (scim_external_id) WHERE scim_external_id IS NOT NULL;

CREATE TABLE group_user (
  group_id   integer NOT NULL REFERENCES groups (id) ON DELETE CASCADE,
  user_id    integer NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  created_by text,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (group_id, user_id)
);

CREATE TABLE group_role (
  group_id   integer NOT NULL REFERENCES groups (id) ON DELETE CASCADE,
  role_id    integer NOT NULL REFERENCES roles (id) ON DELETE CASCADE,
  created_by text,
  created_at timestamptz DEFAULT now(),
  project    text NOT NULL CONSTRAINT fk_group_role_project REFERENCES projects (id) ON DELETE CASCADE,
  PRIMARY KEY (group_id, role_id, project)
);

CREATE TABLE api_tokens (
  secret             text PRIMARY KEY,
  username           text NOT NULL,
  type               text NOT NULL,
  created_at         timestamptz DEFAULT now(),
  expires_at         timestamptz,
  seen_at            timestamptz,
  environment        varchar,
  alias              text,
  token_name         text,
  created_by_user_id integer
);

CREATE TABLE api_token_project (
  secret  text NOT NULL REFERENCES api_tokens (secret) ON DELETE CASCADE,
  project text NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  PRIMARY KEY (secret, project)
);

CREATE TABLE personal_access_tokens (
  secret      text NOT NULL,
  description text,
  user_id     integer NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  expires_at  timestamptz NOT NULL,
  seen_at     timestamptz,
  created_at  timestamptz NOT NULL DEFAULT now(),
  id          serial PRIMARY KEY
);

CREATE TABLE unleash_session (
  sid        varchar PRIMARY KEY,
  sess       json NOT NULL,
  created_at timestamptz DEFAULT now(),
  expired    timestamptz NOT NULL
);
CREATE INDEX idx_unleash_session_expired ON unleash_session (expired);

-- Features -------------------------------------------------------------------------------------------------------------

CREATE TABLE feature_types (
  id                 varchar(255) PRIMARY KEY,
  name               varchar NOT NULL,
  description        varchar,
  lifetime_days      integer,
  created_at         timestamptz DEFAULT now(),
  created_by_user_id integer
);

CREATE TABLE strategies (
  created_at   timestamptz DEFAULT now(),
  name         varchar(255) PRIMARY KEY,
  description  text,
  parameters   json,
  built_in     integer DEFAULT 0,
  deprecated   boolean DEFAULT false,
  sort_order   integer DEFAULT 9999,
  display_name text,
  title        text
);

CREATE TABLE context_fields (
  name         varchar(255) PRIMARY KEY,
  description  text,
  sort_order   integer DEFAULT 10,
  legal_values json,
  created_at   timestamp DEFAULT now(),
  updated_at   timestamp DEFAULT now(),
  stickiness   boolean DEFAULT false
);

-- No foreign keys to projects and feature_types: orphans are legal. The column `archived` is not kept up; archived_at is.
CREATE TABLE features (
  created_at         timestamptz DEFAULT now(),
  name               varchar(255) PRIMARY KEY,
  description        text,
  variants           json DEFAULT '[]',
  type               varchar DEFAULT 'release',
  stale              boolean DEFAULT false,
  project            varchar DEFAULT 'default',
  last_seen_at       timestamptz,
  impression_data    boolean DEFAULT false,
  archived_at        timestamptz,
  potentially_stale  boolean NOT NULL DEFAULT false,
  created_by_user_id integer,
  archived           boolean DEFAULT false
);

CREATE TABLE feature_environments (
  environment  varchar(100) NOT NULL DEFAULT 'default' REFERENCES environments (name) ON DELETE CASCADE,
  feature_name varchar(255) NOT NULL REFERENCES features (name) ON DELETE CASCADE,
  enabled      boolean NOT NULL,
  variants     jsonb NOT NULL DEFAULT '[]',
  last_seen_at timestamptz,
  PRIMARY KEY (environment, feature_name)
);
CREATE INDEX feature_environments_feature_name_idx ON feature_environments (feature_name);

CREATE TABLE release_plan_definitions (
  id                       text PRIMARY KEY,
  discriminator            text NOT NULL,
  name                     text NOT NULL,
  description              text,
  feature_name             text,
  environment              text,
  created_by_user_id       integer NOT NULL,
  created_at               timestamptz NOT NULL DEFAULT (now() AT TIME ZONE 'utc'),
  active_milestone_id      text,
  release_plan_template_id text REFERENCES release_plan_definitions (id) ON DELETE CASCADE,
  CONSTRAINT release_plan_definitions_discriminator_values CHECK (discriminator IN ('plan', 'template')),
  CONSTRAINT feature_environments_fkey FOREIGN KEY (environment, feature_name)
    REFERENCES feature_environments (environment, feature_name) ON DELETE CASCADE
);
CREATE INDEX idx_release_plan_definitions_created_by_user_id ON release_plan_definitions (created_by_user_id);
CREATE INDEX idx_release_plan_template_definition_id ON release_plan_definitions (release_plan_template_id)
  WHERE release_plan_template_id IS NOT NULL;
CREATE UNIQUE INDEX idx_uniq_release_plan_definitions_discriminator_template ON release_plan_definitions (name)
  WHERE discriminator = 'template';

CREATE TABLE milestones (
  id                         text PRIMARY KEY,
  name                       text NOT NULL,
  sort_order                 integer NOT NULL,
  release_plan_definition_id text NOT NULL REFERENCES release_plan_definitions (id) ON DELETE CASCADE
);
CREATE INDEX idx_milestones_release_plan_definition_id ON milestones (release_plan_definition_id);

-- Plans and milestones point at each other, so this key can only come now.
ALTER TABLE release_plan_definitions ADD FOREIGN KEY (active_milestone_id) REFERENCES milestones (id);

CREATE TABLE feature_strategies (
  id                 text PRIMARY KEY,
  feature_name       varchar(255) NOT NULL REFERENCES features (name) ON DELETE CASCADE,
  project_name       varchar(255) NOT NULL,
  environment        varchar(100) NOT NULL DEFAULT 'default' REFERENCES environments (name) ON DELETE CASCADE,
  strategy_name      varchar(255) NOT NULL,
  parameters         jsonb NOT NULL DEFAULT '{}',
  constraints        jsonb,
  sort_order         integer NOT NULL DEFAULT 9999,
  created_at         timestamptz DEFAULT now(),
  title              text,
  disabled           boolean DEFAULT false,
  variants           jsonb NOT NULL DEFAULT '[]',
  created_by_user_id integer,
  milestone_id       text REFERENCES milestones (id) ON DELETE CASCADE
);
CREATE INDEX feature_strategies_environment_idx ON feature_strategies (environment);
CREATE INDEX feature_strategies_feature_name_idx ON feature_strategies (feature_name);
CREATE INDEX idx_feature_strategies_milestone_id ON feature_strategies (milestone_id) WHERE milestone_id IS NOT NULL;

CREATE TABLE segments (
  id                 serial PRIMARY KEY,
  name               text NOT NULL,
  description        text,
  created_by         text,
  created_at         timestamptz NOT NULL DEFAULT now(),
  constraints        jsonb NOT NULL DEFAULT '[]',
  segment_project_id varchar(255) REFERENCES projects (id) ON DELETE CASCADE
);
CREATE INDEX segments_name_index ON segments (name);

CREATE TABLE feature_strategy_segment (
  feature_strategy_id text NOT NULL REFERENCES feature_strategies (id) ON UPDATE CASCADE ON DELETE CASCADE,
  segment_id          integer NOT NULL REFERENCES segments (id) ON UPDATE CASCADE ON DELETE CASCADE,
  created_at          timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (feature_strategy_id, segment_id)
);
CREATE INDEX feature_strategy_segment_segment_id_index ON feature_strategy_segment (segment_id);

CREATE TABLE tag_types (
  name        text PRIMARY KEY,
  description text,
  icon        text,
  created_at  timestamptz DEFAULT now()
);

CREATE TABLE tags (
  type       text NOT NULL REFERENCES tag_types (name) ON DELETE CASCADE,
  value      text NOT NULL,
  created_at timestamptz DEFAULT now(),
  PRIMARY KEY (type, value)
);

CREATE TABLE feature_tag (
  feature_name       varchar(255) NOT NULL REFERENCES features (name) ON DELETE CASCADE,
  tag_type           text NOT NULL,
  tag_value          text NOT NULL,
  created_at         timestamptz DEFAULT now(),
  created_by_user_id integer,
  PRIMARY KEY (feature_name, tag_type, tag_value),
  FOREIGN KEY (tag_type, tag_value) REFERENCES tags (type, value) ON DELETE CASCADE
);
CREATE INDEX feature_tag_tag_type_and_value_idx ON feature_tag (tag_type, tag_value);

CREATE TABLE dependent_features (
  parent   varchar(255) NOT NULL REFERENCES features (name) ON DELETE RESTRICT,
  child    varchar(255) NOT NULL REFERENCES features (name) ON DELETE CASCADE,
  enabled  boolean NOT NULL DEFAULT true,
  variants jsonb NOT NULL DEFAULT '[]',
  PRIMARY KEY (parent, child)
);

CREATE TABLE feature_lifecycles (
  feature      varchar(255) NOT NULL REFERENCES features (name) ON DELETE CASCADE,
  stage        varchar(255) NOT NULL,
  created_at   timestamptz DEFAULT now(),
  status       text,
  status_value text,
  PRIMARY KEY (feature, stage)
);

CREATE TABLE favorite_features (
  feature    varchar(255) NOT NULL REFERENCES features (name) ON DELETE CASCADE,
  user_id    integer NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (feature, user_id)
);

CREATE TABLE favorite_projects (
  project    varchar(255) NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  user_id    integer NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (project, user_id)
);

-- Metrics: no foreign keys, rows of vanished features wait for a clean-up.
CREATE TABLE last_seen_at_metrics (
  feature_name varchar(255) NOT NULL,
  environment  varchar(100) NOT NULL,
  last_seen_at timestamptz NOT NULL,
  PRIMARY KEY (feature_name, environment)
);
CREATE INDEX idx_feature_name ON last_seen_at_metrics (feature_name);

CREATE TABLE client_metrics_env (
  feature_name varchar(255) NOT NULL,
  app_name     varchar(255) NOT NULL,
  environment  varchar(100) NOT NULL,
  timestamp    timestamptz NOT NULL,
  yes          bigint DEFAULT 0,
  no           bigint DEFAULT 0,
  PRIMARY KEY (feature_name, app_name, environment, timestamp)
);
CREATE INDEX idx_client_metrics_f_name ON client_metrics_env (feature_name);

-- Change requests ------------------------------------------------------------------------------------------------------

CREATE TABLE change_request_settings (
  project            varchar(255) NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  environment        varchar(100) NOT NULL REFERENCES environments (name) ON DELETE CASCADE,
  required_approvals integer DEFAULT 1,
  PRIMARY KEY (project, environment)
);
ALTER TABLE change_request_settings
  ADD CONSTRAINT change_request_settings_project_environment_key UNIQUE (project, environment);

CREATE TABLE change_requests (
  id            serial PRIMARY KEY,
  environment   varchar(100) REFERENCES environments (name) ON DELETE CASCADE,
  state         varchar(255) NOT NULL,
  project       varchar(255) REFERENCES projects (id) ON DELETE CASCADE,
  created_by    integer NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  created_at    timestamptz DEFAULT now(),
  min_approvals integer DEFAULT 1,
  title         text
);

CREATE TABLE change_request_events (
  id                serial PRIMARY KEY,
  feature           varchar(255) REFERENCES features (name) ON DELETE CASCADE,
  action            varchar(255) NOT NULL,
  payload           jsonb NOT NULL DEFAULT '[]',
  created_by        integer NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  created_at        timestamptz DEFAULT now(),
  change_request_id integer NOT NULL REFERENCES change_requests (id) ON DELETE CASCADE
);

-- Integrations ---------------------------------------------------------------------------------------------------------

CREATE TABLE addons (
  id           serial PRIMARY KEY,
  provider     text NOT NULL,
  description  text,
  enabled      boolean DEFAULT true,
  parameters   json,
  events       json,
  created_at   timestamptz DEFAULT now(),
  projects     jsonb DEFAULT '[]',
  environments jsonb DEFAULT '[]'
);

CREATE TABLE integration_events (
  id             bigserial PRIMARY KEY,
  integration_id integer NOT NULL REFERENCES addons (id) ON DELETE CASCADE,
  created_at     timestamptz NOT NULL DEFAULT now(),
  state          text NOT NULL,
  state_details  text NOT NULL,
  event          jsonb NOT NULL,
  details        jsonb NOT NULL
);
CREATE INDEX idx_integration_events_integration_id ON integration_events (integration_id);

-- The event log --------------------------------------------------------------------------------------------------------

-- No foreign keys: the log outlives what it tells of.
CREATE TABLE events (
  id                 serial PRIMARY KEY,
  created_at         timestamptz DEFAULT now(),
  type               varchar(255) NOT NULL,
  created_by         varchar(255) NOT NULL,
  data               json,
  tags               json DEFAULT '[]',
  project            text,
  environment        text,
  feature_name       text,
  pre_data           jsonb,
  announced          boolean NOT NULL DEFAULT false,
  created_by_user_id integer,
  ip                 text
);
CREATE INDEX events_created_by_user_id_idx ON events (created_by_user_id);
CREATE INDEX events_environment_idx ON events (environment);
CREATE INDEX events_project_idx ON events (project);
CREATE INDEX events_unannounced_idx ON events (announced) WHERE announced = false;
CREATE INDEX feature_name_idx ON events (feature_name);
CREATE INDEX idx_events_created_at_desc ON events (created_at DESC);
-- One type is spelled with an underscore in the layout; kept as it is there.
CREATE INDEX idx_events_feature_type_id ON events (id)
  WHERE feature_name IS NOT NULL OR type IN ('segment-updated', 'feature_import', 'features-imported');
CREATE INDEX idx_events_project_feature_created ON events (project, feature_name, created_at DESC);
CREATE INDEX idx_events_type ON events (type);

CREATE TABLE stat_environment_updates (
  day         date NOT NULL,
  environment text NOT NULL,
  updates     bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (day, environment)
);

CREATE FUNCTION unleash_update_stat_environment_changes_counter() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.environment IS NULL THEN
    RETURN NULL;
  END IF;
  INSERT INTO stat_environment_updates AS stat (day, environment, updates)
  VALUES (NEW.created_at::date, NEW.environment, 1)
  ON CONFLICT (day, environment) DO UPDATE SET updates = stat.updates + 1;
  RETURN NULL;
END;
$$;

CREATE TRIGGER unleash_update_stat_environment_changes AFTER INSERT ON events
  FOR EACH ROW EXECUTE FUNCTION unleash_update_stat_environment_changes_counter();

-- One row per feature, environment, strategy and segment ---------------------------------------------------------------

CREATE VIEW features_view AS
SELECT
  f.name, f.description, f.type, f.project, f.stale, f.impression_data, f.created_at, f.archived_at, f.last_seen_at,
  fe.last_seen_at AS env_last_seen_at, fe.enabled, fe.environment, fe.variants,
  e.name AS environment_name, e.type AS environment_type, e.sort_order AS environment_sort_order,
  s.id AS strategy_id, s.strategy_name, s.parameters, s.constraints, s.sort_order,
  link.segment_id AS segments,
  s.title AS strategy_title, s.disabled AS strategy_disabled, s.variants AS strategy_variants,
  u.id AS user_id, u.name AS user_name, u.username AS user_username, u.email AS user_email
FROM features f
LEFT JOIN feature_environments fe ON fe.feature_name = f.name
LEFT JOIN feature_strategies s
  ON s.feature_name = fe.feature_name AND s.environment = fe.environment AND s.milestone_id IS NULL
LEFT JOIN environments e ON e.name = fe.environment
LEFT JOIN feature_strategy_segment link ON link.feature_strategy_id = s.id
LEFT JOIN users u ON u.id = f.created_by_user_id;

-- What every installation starts with ----------------------------------------------------------------------------------

INSERT INTO environments (name, type, sort_order, enabled, protected) VALUES
  ('default', 'production', 1, false, true),
  ('development', 'development', 2, true, false),
  ('production', 'production', 3, true, false);

INSERT INTO projects (id, name, description) VALUES ('default', 'Default', 'The project every installation starts with');
INSERT INTO project_environments (project_id, environment_name) VALUES
  ('default', 'development'),
  ('default', 'production');

-- Authors of events nobody signed in for: the service itself, and the holder of an admin API token.
INSERT INTO users (id, name, username, is_system, created_by_user_id) VALUES
  (-1337, 'Unleash System', 'unleash_system_user', true, -1337),
  (-42, 'Unleash Admin Token User', 'unleash_admin_token', true, -1337);

INSERT INTO feature_types (id, name, description, lifetime_days) VALUES
  ('release', 'Release', 'Brings a new capability to users step by step', 40),
  ('experiment', 'Experiment', 'Compares versions of a capability to learn which does better', 40),
  ('operational', 'Operational', 'Steers a technical change while it is rolled out', 7),
  ('kill-switch', 'Kill switch', 'Turns a critical part of the system off, or back on, at once', NULL),
  ('permission', 'Permission', 'Decides who may use a capability', NULL);

INSERT INTO strategies (name, display_name, description, built_in, deprecated, sort_order, parameters) VALUES
  ('flexibleRollout', 'Gradual rollout', 'On for a share of the users; each user keeps getting the same answer', 1, false, 0,
    '[{"name":"rollout","type":"percentage","description":"Share of the users","required":false},{"name":"stickiness","type":"string","description":"What keeps the answer stable: default, userId, sessionId or random","required":true},{"name":"groupId","type":"string","description":"Features with the same group choose the same users","required":true}]'),
  ('default', 'Standard', 'On for everybody or for nobody', 1, false, 1, '[]'),
  ('userWithId', 'UserIDs', 'On for the listed users; a gradual rollout with a constraint on userId does the same', 1, true, 2,
    '[{"name":"userIds","type":"list","description":"Ids of the users","required":false}]'),
  ('remoteAddress', 'IPs', 'On for callers from the listed addresses', 1, false, 3,
    '[{"name":"IPs","type":"list","description":"IP addresses","required":true}]'),
  ('applicationHostname', 'Hosts', 'On for applications that run on the listed hosts', 1, false, 4,
    '[{"name":"hostNames","type":"list","description":"Host names","required":false}]');

INSERT INTO context_fields (name, description, sort_order, stickiness) VALUES
  ('environment', 'Environment the application runs in', 0, false),
  ('userId', 'Id of the user', 1, false),
  ('appName', 'Name of the application', 2, false),
  ('currentTime', 'Moment of the evaluation', 3, false),
  ('sessionId', 'Id of the session', 4, true);

INSERT INTO tag_types (name, description, icon) VALUES ('simple', 'A plain word to find features by', '#');

INSERT INTO roles (id, name, type, description) VALUES
  (1, 'Admin', 'root', 'May do everything everywhere'),
  (2, 'Editor', 'root', 'May change most things, in project default and at the root, except users and roles'),
  (3, 'Viewer', 'root', 'May look, but change nothing until a project lets them in'),
  (4, 'Owner', 'project', 'May do everything inside the project, its members and its end included'),
  (5, 'Member', 'project', 'May create and change features of the project');
SELECT setval('roles_id_seq', 5);

INSERT INTO permissions (permission, type, display_name) VALUES
  ('ADMIN', 'root', 'Everything'),
  ('CREATE_FEATURE', 'project', 'Create features'),
  ('CREATE_STRATEGY', 'root', 'Create strategy types'),
  ('CREATE_ADDON', 'root', 'Create integrations'),
  ('DELETE_ADDON', 'root', 'Delete integrations'),
  ('UPDATE_ADDON', 'root', 'Change integrations'),
  ('UPDATE_FEATURE', 'project', 'Change features'),
  ('DELETE_FEATURE', 'project', 'Archive and delete features'),
  ('UPDATE_APPLICATION', 'root', 'Change applications'),
  ('UPDATE_TAG_TYPE', 'root', 'Change tag types'),
  ('DELETE_TAG_TYPE', 'root', 'Delete tag types'),
  ('CREATE_PROJECT', 'root', 'Create projects'),
  ('UPDATE_PROJECT', 'project', 'Change the project'),
  ('DELETE_PROJECT', 'project', 'Delete the project'),
  ('UPDATE_STRATEGY', 'root', 'Change strategy types'),
  ('DELETE_STRATEGY', 'root', 'Delete strategy types'),
  ('UPDATE_CONTEXT_FIELD', 'root', 'Change context fields'),
  ('CREATE_CONTEXT_FIELD', 'root', 'Create context fields'),
  ('DELETE_CONTEXT_FIELD', 'root', 'Delete context fields'),
  ('READ_ROLE', 'root', 'See roles'),
  ('CREATE_FEATURE_STRATEGY', 'environment', 'Add strategies to features'),
  ('UPDATE_FEATURE_STRATEGY', 'environment', 'Change strategies of features'),
  ('DELETE_FEATURE_STRATEGY', 'environment', 'Remove strategies from features'),
  ('UPDATE_FEATURE_ENVIRONMENT', 'environment', 'Switch features on and off'),
  ('UPDATE_FEATURE_VARIANTS', 'project', 'Change variants of features'),
  ('MOVE_FEATURE_TOGGLE', 'project', 'Move features to another project'),
  ('CREATE_SEGMENT', 'root', 'Create segments'),
  ('UPDATE_SEGMENT', 'root', 'Change segments'),
  ('DELETE_SEGMENT', 'root', 'Delete segments'),
  ('APPROVE_CHANGE_REQUEST', 'environment', 'Approve or reject change requests'),
  ('APPLY_CHANGE_REQUEST', 'environment', 'Apply change requests'),
  ('UPDATE_FEATURE_ENVIRONMENT_VARIANTS', 'environment', 'Change variants in an environment'),
  ('SKIP_CHANGE_REQUEST', 'environment', 'Change things without a change request'),
  ('READ_PROJECT_API_TOKEN', 'project', 'See API tokens of the project'),
  ('CREATE_PROJECT_API_TOKEN', 'project', 'Create API tokens of the project'),
  ('DELETE_PROJECT_API_TOKEN', 'project', 'Delete API tokens of the project'),
  ('UPDATE_PROJECT_SEGMENT', 'project', 'Create and change segments of the project'),
  ('CREATE_CLIENT_API_TOKEN', 'root', 'Create client tokens'),
  ('UPDATE_CLIENT_API_TOKEN', 'root', 'Change client tokens'),
  ('DELETE_CLIENT_API_TOKEN', 'root', 'Delete client tokens'),
  ('READ_CLIENT_API_TOKEN', 'root', 'See client tokens'),
  ('CREATE_FRONTEND_API_TOKEN', 'root', 'Create frontend tokens'),
  ('UPDATE_FRONTEND_API_TOKEN', 'root', 'Change frontend tokens'),
  ('DELETE_FRONTEND_API_TOKEN', 'root', 'Delete frontend tokens'),
  ('READ_FRONTEND_API_TOKEN', 'root', 'See frontend tokens'),
  ('UPDATE_FEATURE_DEPENDENCY', 'project', 'Change dependencies between features'),
  ('CREATE_TAG_TYPE', 'root', 'Create tag types'),
  ('PROJECT_USER_ACCESS_READ', 'project', 'See who has access to the project'),
  ('PROJECT_DEFAULT_STRATEGY_READ', 'project', 'See the default strategy of the project'),
  ('PROJECT_CHANGE_REQUEST_READ', 'project', 'See how the project uses change requests'),
  ('PROJECT_SETTINGS_READ', 'project', 'See settings of the project'),
  ('PROJECT_USER_ACCESS_WRITE', 'project', 'Decide who has access to the project'),
  ('PROJECT_DEFAULT_STRATEGY_WRITE', 'project', 'Change the default strategy of the project'),
  ('PROJECT_CHANGE_REQUEST_WRITE', 'project', 'Decide how the project uses change requests'),
  ('PROJECT_SETTINGS_WRITE', 'project', 'Change settings of the project'),
  ('RELEASE_PLAN_TEMPLATE_VIEW_OVERVIEW', 'root', 'See the list of release plan templates'),
  ('RELEASE_PLAN_TEMPLATE_VIEW', 'root', 'See one release plan template in full'),
  ('RELEASE_PLAN_TEMPLATE_CREATE', 'root', 'Create release plan templates'),
  ('RELEASE_PLAN_TEMPLATE_UPDATE', 'root', 'Change release plan templates'),
  ('RELEASE_PLAN_TEMPLATE_DELETE', 'root', 'Delete release plan templates'),
  ('UPDATE_MAINTENANCE_MODE', 'root', 'Switch maintenance mode on and off'),
  ('UPDATE_INSTANCE_BANNERS', 'root', 'Change banners'),
  ('UPDATE_AUTH_CONFIGURATION', 'root', 'Change how people sign in'),
  ('READ_LOGS', 'root', 'See logs and sign-ins'),
  ('UPDATE_CORS', 'root', 'Change which origins may call from a browser');

-- Grants that hold in every environment alike.
INSERT INTO role_permission (role_id, permission)
SELECT roles.id, permission
FROM roles, unnest(
  CASE roles.name
    WHEN 'Admin' THEN ARRAY['ADMIN']
    WHEN 'Editor' THEN ARRAY[
      'CREATE_FEATURE', 'UPDATE_FEATURE', 'DELETE_FEATURE', 'MOVE_FEATURE_TOGGLE', 'UPDATE_FEATURE_VARIANTS',
      'UPDATE_FEATURE_DEPENDENCY', 'CREATE_PROJECT', 'UPDATE_PROJECT', 'DELETE_PROJECT',
      'READ_PROJECT_API_TOKEN', 'CREATE_PROJECT_API_TOKEN', 'DELETE_PROJECT_API_TOKEN',
      'CREATE_STRATEGY', 'UPDATE_STRATEGY', 'DELETE_STRATEGY', 'CREATE_ADDON', 'UPDATE_ADDON', 'DELETE_ADDON',
      'CREATE_CONTEXT_FIELD', 'UPDATE_CONTEXT_FIELD', 'DELETE_CONTEXT_FIELD',
      'CREATE_SEGMENT', 'UPDATE_SEGMENT', 'DELETE_SEGMENT', 'CREATE_TAG_TYPE', 'UPDATE_TAG_TYPE', 'DELETE_TAG_TYPE',
      'UPDATE_APPLICATION', 'READ_CLIENT_API_TOKEN', 'READ_FRONTEND_API_TOKEN']
    WHEN 'Owner' THEN ARRAY[
      'CREATE_FEATURE', 'UPDATE_FEATURE', 'DELETE_FEATURE', 'MOVE_FEATURE_TOGGLE', 'UPDATE_FEATURE_VARIANTS',
      'UPDATE_FEATURE_DEPENDENCY', 'UPDATE_PROJECT', 'DELETE_PROJECT',
      'READ_PROJECT_API_TOKEN', 'CREATE_PROJECT_API_TOKEN', 'DELETE_PROJECT_API_TOKEN']
    WHEN 'Member' THEN ARRAY[
      'CREATE_FEATURE', 'UPDATE_FEATURE', 'DELETE_FEATURE', 'UPDATE_FEATURE_VARIANTS', 'UPDATE_FEATURE_DEPENDENCY',
      'READ_PROJECT_API_TOKEN', 'CREATE_PROJECT_API_TOKEN', 'DELETE_PROJECT_API_TOKEN']
  END
) AS permission
ORDER BY roles.id;

INSERT INTO role_permission (role_id, permission, created_by_user_id)
SELECT roles.id, permission, -1337
FROM roles, unnest(
  CASE roles.name
    WHEN 'Editor' THEN ARRAY[
      'RELEASE_PLAN_TEMPLATE_VIEW_OVERVIEW', 'RELEASE_PLAN_TEMPLATE_VIEW',
      'RELEASE_PLAN_TEMPLATE_CREATE', 'RELEASE_PLAN_TEMPLATE_UPDATE']
    WHEN 'Viewer' THEN ARRAY['RELEASE_PLAN_TEMPLATE_VIEW_OVERVIEW']
  END
) AS permission
ORDER BY roles.id;

-- Grants given environment by environment.
INSERT INTO role_permission (role_id, permission, environment)
SELECT roles.id, permission, environments.name
FROM roles, environments, unnest(ARRAY[
  'CREATE_FEATURE_STRATEGY', 'UPDATE_FEATURE_STRATEGY', 'DELETE_FEATURE_STRATEGY',
  'UPDATE_FEATURE_ENVIRONMENT', 'UPDATE_FEATURE_ENVIRONMENT_VARIANTS']) AS permission
WHERE roles.name IN ('Editor', 'Owner', 'Member')
ORDER BY roles.id, environments.sort_order;
