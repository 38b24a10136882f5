import { h, onMounted, ref } from 'vue';

/** Address of GraphiQL, which the gateway writes into every page. Empty if GraphiQL is off. */
const useGraphiqlAddress = () => {
  const address = ref('');
  onMounted(() => {
    address.value = document.querySelector('meta[name="graphiql"]')?.content ?? '';
  });
  return address;
};

// With a target, VitePress leaves a link to the browser: GraphiQL is not a page of the site.
const link = (href, text) => h('a', { href, target: '_self', class: 'graphiql-link' }, text);

/** Below each GraphQL block that runs in GraphiQL. */
export const OpenInGraphiql = {
  props: { operation: { type: String, required: true } },
  setup: ({ operation }) => {
    const address = useGraphiqlAddress();
    return () =>
      address.value
        ? h('p', { class: 'open-in-graphiql' }, [
            link(`${address.value}#query=${operation}`, 'Open in GraphiQL'),
          ])
        : null;
  },
};

/** In the bar at the top. */
export const GraphiqlLink = {
  setup: () => {
    const address = useGraphiqlAddress();
    return () => (address.value ? link(address.value, 'GraphiQL') : null);
  },
};
