type Variant = {
  name: string;
  weight: number;
  payload: { type: string; value: string } | null;
};

const MAX_PAYLOAD = 80;

const payloadText = ({ type, value }: NonNullable<Variant['payload']>): string =>
  `${type} ${value.length > MAX_PAYLOAD ? `${value.slice(0, MAX_PAYLOAD)}…` : value}`;

/** Variants of the feature itself, with their share and payload. */
export const VariantList = ({ variants }: { variants: readonly Variant[] }) => {
  if (variants.length === 0) return null;
  return (
    <>
      <h4>Variants</h4>
      <ul className="strategies">
        {variants.map(({ name, weight, payload }) => (
          <li key={name}>
            {name}: {weight / 10} %{payload ? <code> {payloadText(payload)}</code> : null}
          </li>
        ))}
      </ul>
    </>
  );
};
