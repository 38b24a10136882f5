-- Counts of variants, counts per day and approvals of change requests, in the tables that Unleash has for them.
CREATE TABLE client_metrics_env_variants (
  feature_name varchar(255) NOT NULL,
  app_name     varchar(255) NOT NULL,
  environment  varchar(100) NOT NULL,
  timestamp    timestamptz NOT NULL,
  variant      text NOT NULL,
  count        integer DEFAULT 0,
  PRIMARY KEY (feature_name, app_name, environment, timestamp, variant),
  FOREIGN KEY (feature_name, app_name, environment, timestamp)
    REFERENCES client_metrics_env (feature_name, app_name, environment, timestamp) ON UPDATE CASCADE ON DELETE CASCADE
);

CREATE TABLE client_metrics_env_daily (
  feature_name varchar(255) NOT NULL,
  app_name     varchar(255) NOT NULL,
  environment  varchar(100) NOT NULL,
  date         date NOT NULL,
  yes          bigint DEFAULT 0,
  no           bigint DEFAULT 0,
  PRIMARY KEY (feature_name, app_name, environment, date)
);

CREATE TABLE client_metrics_env_variants_daily (
  feature_name varchar(255) NOT NULL,
  app_name     varchar(255) NOT NULL,
  environment  varchar(100) NOT NULL,
  date         date NOT NULL,
  variant      text NOT NULL,
  count        bigint DEFAULT 0,
  PRIMARY KEY (feature_name, app_name, environment, date, variant),
  FOREIGN KEY (feature_name, app_name, environment, date)
    REFERENCES client_metrics_env_daily (feature_name, app_name, environment, date) ON UPDATE CASCADE ON DELETE CASCADE
);

CREATE TABLE change_request_approvals (
  id                serial PRIMARY KEY,
  change_request_id integer NOT NULL REFERENCES change_requests (id) ON DELETE CASCADE,
  created_by        integer NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  created_at        timestamptz DEFAULT now(),
  CONSTRAINT unique_approvals UNIQUE (change_request_id, created_by)
);
