-- The original gives each of its installations an id of its own; by it, objects of different deployments are told apart.
INSERT INTO settings (name, content)
VALUES ('instanceInfo', json_build_object('id', md5(random()::text || clock_timestamp()::text)::uuid))
ON CONFLICT (name) DO NOTHING;
