export type Deprecation = {
  since: Date;
  /** When the path is removed. Unset while undecided. */
  sunset?: Date;
};

/** The headers of RFC 9745 and RFC 8594, also sent with errors. The links come from `deprecationLinks`. */
export const deprecationHeaders = ({ since, sunset }: Deprecation): Record<string, string> => ({
  deprecation: `@${Math.floor(since.getTime() / 1000)}`,
  ...(sunset && { sunset: sunset.toUTCString() }),
});

export const deprecationLinks = (basePath: string): string[] => [
  `<${basePath}/api/admin/openapi.json>; rel="deprecation"; type="application/json"`,
  `<${basePath}/graphql>; rel="successor-version"`,
];
