import { type ShownStrategy, strategyText, variantsText } from './strategy-text.js';

type Row = ShownStrategy & {
  id?: string;
  strategyId?: string;
  milestone?: { name: string; active: boolean } | null;
};

const Strategy = ({ strategy }: { strategy: Row }) => (
  <>
    {strategy.title ? <strong>{strategy.title}: </strong> : null}
    {strategyText(strategy)}
    {strategy.disabled ? <span className="quiet"> (disabled, skipped)</span> : null}
    {strategy.milestone ? (
      <span className="quiet">
        {' '}
        (release plan, milestone {strategy.milestone.name}
        {strategy.milestone.active ? '' : ', not active'})
      </span>
    ) : null}
    {strategy.variants.length === 0 ? null : (
      <span className="strategy-variants">Variants: {variantsText(strategy.variants)}</span>
    )}
  </>
);

/** Strategies in words. One match is enough. */
export const StrategyList = ({ strategies }: { strategies: readonly Row[] }) => {
  if (strategies.length === 0) return <p className="quiet">No strategies.</p>;
  return (
    <ul className="strategies">
      {strategies.map((strategy, index) => (
        <li key={strategy.id ?? strategy.strategyId ?? index}>
          <Strategy strategy={strategy} />
        </li>
      ))}
    </ul>
  );
};
