import pg from 'pg';

const TYPES = ['feature-created', 'feature-updated', 'feature-archived', 'change-added'];

const TEXT_BYTES = 256;

/** Events of about a thousand bytes, as in a busy installation, unless their texts are longer. */
export const addManyEvents = async (
  url: string,
  count: number,
  textBytes = TEXT_BYTES,
): Promise<void> => {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(
    `insert into events (type, created_by, created_by_user_id, project, feature_name, environment, data, pre_data, tags, created_at, ip)
     select ($2::text[])[1 + n % 4], 'user-' || n % 50 || '@example.com', n % 50,
       case when n % 5 > 0 then 'project-' || n % 3 end, 'feature-' || n % 500,
       case when n % 2 = 0 then 'production' end,
       json_build_object('name', 'feature-' || n % 500, 'n', n, 'text', repeat(md5(n::text), $3::int)),
       json_build_object('name', 'feature-' || n % 500, 'text', repeat(md5((n + 1)::text), $3::int)),
       '[{"type": "simple", "value": "busy"}]', timestamptz '2024-01-01' + n * interval '1 minute', '10.0.0.1'
     from generate_series(1, $1::int) n`,
    [count, TYPES, textBytes / 32],
  );
  await client.end();
};
