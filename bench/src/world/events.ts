import { featureName, pick, projectOfFeature, textArray } from './building-blocks.js';
import {
  COMMON_WORD,
  EVENT_TYPES,
  FEATURE_COUNT,
  FIRST_TIMESTAMP,
  OTHER_PROJECTS,
  RARE_COUNT,
  RARE_WORD,
  SPAN_DAYS,
  TEAM_SIZE,
  USER_COUNT,
  WORDS,
} from './facts.js';

const RANGE = 1_000_000;

/** A number from 0 up to 1 (exclusive). A higher exponent makes small numbers more frequent. */
const skewed = (purpose: number, exponent: number): string =>
  `power(${pick('g', purpose, RANGE)}::float8 / ${RANGE}, ${exponent})`;

const word = (purpose: number): string =>
  `(${textArray(WORDS)})[1 + ${pick('g', purpose, WORDS.length)}]`;

/** The rare word is in the first third, in the middle and near the end. */
const isRare = (events: number): string => {
  const ids = Array.from({ length: RARE_COUNT }, (_, index) =>
    Math.floor((events * (3 * index + 2)) / (3 * RARE_COUNT + 1)),
  );
  return `g in (${ids.join(', ')})`;
};

const note = (events: number): string =>
  `${word(11)} || ' ' || ${word(12)} || ' ' || case when ${isRare(events)} then '${RARE_WORD}'
     when ${pick('g', 13, 25)} = 0 then '${COMMON_WORD}' else ${word(14)} end || ' ' || ${word(15)}`;

const strategy = (rollout: string, events: number): string =>
  `'{"id":"' || md5((g / 7)::text)::uuid || '","name":"flexibleRollout","title":"' || ${note(events)}
   || '","disabled":false,"parameters":{"rollout":"' || ${rollout} || '","stickiness":"default","groupId":"' || feature
   || '"},"constraints":[{"contextName":"userId","operator":"IN","values":["u' || g % 99991 || '","u' || g % 49999
   || '"],"inverted":false,"caseInsensitive":false}],"variants":[],"segments":[' || 1 + g % 10 || '],"sortOrder":' || g % 4 || '}'`;

const featureState = (events: number): string =>
  `'{"name":"' || feature || '","description":"' || ${note(events)} || '","type":"release","project":"' || project
   || '","stale":false,"impressionData":false,"archivedAt":null,"createdAt":"2024-01-01T00:00:00.000Z","createdByUserId":'
   || author || ',"variants":[],"lifecycle":{"stage":"initial","enteredStageAt":"2024-01-01T00:00:00.000Z"},"reference":"'
   || md5(g::text) || '"}'`;

const otherState = (events: number): string =>
  `'{"id":' || g % 5000 || ',"name":"' || ${word(16)} || '-' || g % 1000 || '","description":"' || ${note(events)}
   || '","settings":{"reference":"' || md5(g::text) || '","previous":"' || md5((g - 1)::text)
   || '","enabled":true,"limits":{"daily":' || g % 100 || ',"weekly":' || g % 700 || '},"owners":["user' || author
   || '@example.com"]}}'`;

/** Inserts the events whose IDs are in a range. */
export const insertEvents = (events: number, from: number, to: number): string => `
  insert into events (id, created_at, type, created_by, created_by_user_id, data, pre_data, tags, project, environment,
    feature_name, announced, ip)
  select g,
    timestamptz '${FIRST_TIMESTAMP}' + (g::float8 / ${events}) * interval '${SPAN_DAYS} days',
    type, 'user' || author || '@example.com', author,
    (case when type like 'feature-strategy-%' then ${strategy('g % 101', events)}
      when is_of_feature then ${featureState(events)} else ${otherState(events)} end)::json,
    case when type = 'feature-strategy-update' and g % 2 = 0
      then jsonb_build_object('name', 'flexibleRollout', 'title', ${word(17)},
        'parameters', jsonb_build_object('rollout', (g % 89)::text, 'groupId', feature)) end,
    (case when is_of_feature and g % 3 = 0 then '[{"type":"simple","value":"team-' || g % 30 || '"}]' else '[]' end)::json,
    case when is_of_feature or type like 'project-%' then project end,
    case when type like 'feature-strategy-%' or type like 'feature-environment-%'
      then (array['development', 'production', 'production'])[1 + ${pick('g', 18, 3)}] end,
    case when is_of_feature then feature end,
    true, '10.' || g % 250 || '.' || g % 199 || '.' || g % 151
  from (
    select g, type, author, feature, type like 'feature-%' as is_of_feature,
      case when type like 'feature-%' then feature_project
        else (${textArray(OTHER_PROJECTS)})[1 + ${pick('g', 19, OTHER_PROJECTS.length)}] end as project
    from (
      select g, (${textArray(EVENT_TYPES)})[1 + floor(${EVENT_TYPES.length} * ${skewed(8, 2.2)})::int] as type,
        floor(${TEAM_SIZE} * ${skewed(9, 1.5)})::int as member,
        1 + floor(${FEATURE_COUNT} * ${skewed(10, 2)})::int as number
      from generate_series(${from}, ${to}) as g
    ) as chosen
    join lateral (select ${featureName('number')} as feature, ${projectOfFeature('number')} as feature_project,
      1 + (7 * number + member) % ${USER_COUNT} as author) as named
      on true
  ) as drawn
  order by g`;
