import { useData, useRoute } from 'vitepress';
import { onMounted, watch } from 'vue';

/** Marks the content as the main landmark on pages where the theme has none: the home page and missing pages. */
export const useMainLandmark = () => {
  const { frontmatter, page } = useData();
  const route = useRoute();
  const mark = () => {
    const content = document.getElementById('VPContent');
    if (frontmatter.value.layout === 'home' || page.value.isNotFound) {
      content?.setAttribute('role', 'main');
    } else {
      content?.removeAttribute('role');
    }
  };
  onMounted(() => watch(() => route.path, mark, { immediate: true, flush: 'post' }));
};
