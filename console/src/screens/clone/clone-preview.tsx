import type { ClonePlanQuery } from '../../generated/documents.js';
import { listText } from '../../ui/list-text.js';
import { StrategyList } from '../feature/strategy-list.js';
import { variantsText } from '../feature/strategy-text.js';

type Plan = ClonePlanQuery['clonePlan'];
type Copy = NonNullable<Plan['copy']>;
type Omission = Plan['notCopied'][number];

const NOT_COPIED: Record<Omission['aspect'], (count: number) => string> = {
  TAGS: (count) => (count === 1 ? 'Its tag' : `Its ${count} tags`),
  FAVORITE: () => 'Your favorite mark',
  ENABLED_STATE: (count) =>
    `That it is on in ${count} ${count === 1 ? 'environment' : 'environments'}`,
  CHILDREN: (count) => `${count} dependent ${count === 1 ? 'feature' : 'features'}`,
  RELEASE_PLAN_STRATEGIES: (count) =>
    `${count} ${count === 1 ? 'strategy' : 'strategies'} of release plans`,
  STRATEGIES_OUT_OF_SIGHT: (count) =>
    `${count} ${count === 1 ? 'strategy' : 'strategies'} in other environments`,
  LIFECYCLE: () => 'The lifecycle',
  LAST_SEEN: () => 'When it was last seen',
};

/** The reason of the graph names an argument; here it is a switch. */
const REASONS: Partial<Record<Omission['aspect'], string>> = {
  TAGS: 'Switch on “Copy tags” to include tags.',
  FAVORITE: 'To copy it, switch on “Make the copy a favorite”.',
};

const Environments = ({ environments }: Copy) => (
  <ul className="plain">
    {environments.map(({ environmentName, inProject, strategies, variants }) => (
      <li key={environmentName}>
        <strong>{environmentName}</strong>
        {inProject ? null : (
          <span className="quiet">
            {' '}
            – copied, although the project does not use this environment
          </span>
        )}
        <StrategyList strategies={strategies} />
        {variants.length === 0 ? null : <p>Variants: {variantsText(variants)}</p>}
      </li>
    ))}
  </ul>
);

const Copied = ({ copy }: { copy: Copy }) => (
  <section>
    <h3>Copied</h3>
    <Environments {...copy} />
    {copy.tags.length === 0 ? null : (
      <p>Tags: {listText(copy.tags.map(({ type, value }) => `${type}:${value}`))}.</p>
    )}
    {copy.dependencies.length === 0 ? null : (
      <p>
        The copy depends on {listText(copy.dependencies.map(({ featureName }) => featureName))}, as
        the source does.
      </p>
    )}
  </section>
);

/** What a clone would write, and what it would leave behind. */
export const ClonePreview = ({ plan }: { plan: Plan }) => (
  <>
    {plan.copy ? <Copied copy={plan.copy} /> : null}
    {plan.notCopied.length === 0 ? null : (
      <section>
        <h3>Left behind</h3>
        <ul className="plain">
          {plan.notCopied.map(({ aspect, count, reason }) => (
            <li key={aspect}>
              <strong>{NOT_COPIED[aspect](count)}.</strong>{' '}
              <span className="quiet">{REASONS[aspect] ?? reason}</span>
            </li>
          ))}
        </ul>
      </section>
    )}
  </>
);
