import { h, onMounted, ref } from 'vue';

/** Address of GraphiQL or the console, which the gateway writes into every page. Empty if it is off. */
const useAddress = (name) => {
  const address = ref('');
  onMounted(() => {
    address.value = document.querySelector(`meta[name="${name}"]`)?.content ?? '';
  });
  return address;
};

// With a target, VitePress leaves a link to the browser: GraphiQL is not a page of the site.
const link = (href, text) => h('a', { href, target: '_self', class: 'graphiql-link' }, text);

/** Below each GraphQL block that runs in GraphiQL. */
export const OpenInGraphiql = {
  props: { operation: { type: String, required: true } },
  setup: ({ operation }) => {
    const address = useAddress('graphiql');
    return () =>
      address.value
        ? h('p', { class: 'open-in-graphiql' }, [
            link(`${address.value}#query=${operation}`, 'Open in GraphiQL'),
          ])
        : null;
  },
};

/** In the bar at the top. */
export const ConsoleLink = {
  setup: () => {
    const address = useAddress('console');
    return () => (address.value ? link(address.value, 'Console') : null);
  },
};

export const GraphiqlLink = {
  setup: () => {
    const address = useAddress('graphiql');
    return () => (address.value ? link(address.value, 'GraphiQL') : null);
  },
};
