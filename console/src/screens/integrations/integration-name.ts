const PROVIDERS: Readonly<Record<string, string>> = {
  webhook: 'Webhook',
  slack: 'Slack',
  'slack-app': 'Slack app',
  teams: 'Microsoft Teams',
  datadog: 'Datadog',
  'new-relic': 'New Relic',
};

export const providerName = (provider: string): string => PROVIDERS[provider] ?? provider;

/** Integrations have no name: the description, or else the provider. */
export const integrationName = ({
  provider,
  description,
}: {
  provider: string;
  description: string | null;
}): string => description || providerName(provider);

const PERCENT = new Intl.NumberFormat(undefined, { style: 'percent', maximumFractionDigits: 1 });

export const rateText = (rate: number | null): string =>
  rate === null ? 'None' : PERCENT.format(rate);
