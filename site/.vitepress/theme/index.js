import DefaultTheme from 'vitepress/theme';
import { h } from 'vue';
import { ConsoleLink, GraphiqlLink, OpenInGraphiql } from './graphiql-links.js';
import { useMainLandmark } from './main-landmark.js';
import './style.css';

const Layout = {
  setup: () => {
    useMainLandmark();
    return () =>
      h(DefaultTheme.Layout, null, {
        'nav-bar-content-after': () => [h(ConsoleLink), h(GraphiqlLink)],
      });
  },
};

export default {
  extends: DefaultTheme,
  Layout,
  enhanceApp: ({ app }) => {
    app.component('OpenInGraphiql', OpenInGraphiql);
  },
};
