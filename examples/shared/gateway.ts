/** Vite forwards this path to the gateway. */
export const url = '/graphql';

// The demo token. Users of your page have their own, or the sign-in session of Unleash.
export const headers = { authorization: '*:*.demo-admin-token' };
