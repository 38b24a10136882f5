import type { EventCategory, EventFilter } from '../generated/graphql.js';

const CATEGORIES: readonly EventCategory[] = [
  'FEATURE',
  'PROJECT',
  'INTEGRATION',
  'SEGMENT',
  'USER',
];

export type Follow = { filter: EventFilter; isLive: boolean };

const readFilter = (form: FormData): EventFilter => {
  const project = String(form.get('project'));
  const feature = String(form.get('feature')).trim();
  const category = String(form.get('category'));
  return {
    ...(project && { projectId: { is: project } }),
    ...(feature && { featureName: { is: feature } }),
    ...(category && { type: { category: [category as EventCategory] } }),
  };
};

type FilterFormProps = {
  projects: readonly { id: string; name: string }[];
  onChange: (follow: Follow) => void;
};

export const EventFilterForm = ({ projects, onChange }: FilterFormProps) => (
  <form
    onSubmit={(event) => event.preventDefault()}
    onChange={({ currentTarget }) => {
      const form = new FormData(currentTarget);
      onChange({ filter: readFilter(form), isLive: form.has('live') });
    }}
  >
    <label>
      Project
      <select name="project">
        <option value="">all</option>
        {projects.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </select>
    </label>
    <label>
      Feature
      <input name="feature" placeholder="its whole name" />
    </label>
    <label>
      Kind
      <select name="category">
        <option value="">all</option>
        {CATEGORIES.map((category) => (
          <option key={category}>{category}</option>
        ))}
      </select>
    </label>
    <label>
      <input name="live" type="checkbox" />
      Follow live
    </label>
  </form>
);
