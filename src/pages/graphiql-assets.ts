import type { Assets } from './assets.js';
import { withFieldsInOrder, withoutStacks } from './graphiql-patches.js';
import { addWebFile, addWebModule } from './web-files.js';

const FONT = /url\(data:font\/(ttf|woff2?);base64,([^)]+)\)/g;

/** Moves fonts to their own files, which browsers load only if their characters occur. */
const withFontFiles = (css: string, assets: Assets): string =>
  css.replace(FONT, (_url, type: 'ttf' | 'woff' | 'woff2', data: string) => {
    const fileName = assets.add('graphiql-font', type, Buffer.from(data, 'base64'));
    return `url(./${fileName})`;
  });

/** Adds GraphiQL's files to the assets. They take nine megabytes, so they are read on first use. */
export const loadGraphiqlAssets = async (assets: Assets) => {
  const parts = await import('@graphql-yoga/render-graphiql/graphiql');
  const urlOf = (fileName: string) => assets.urlOf(fileName);
  return {
    styles: [
      urlOf(assets.add('graphiql', 'css', withFontFiles(parts.css, assets))),
      urlOf(addWebFile(assets, 'graphiql-page', 'css')),
    ],
    scripts: {
      page: urlOf(addWebModule(assets, 'graphiql-page')),
      graphiql: urlOf(assets.add('graphiql', 'js', withoutStacks(parts.js))),
    },
    workers: {
      editorWorkerService: urlOf(assets.add('graphiql-editor', 'js', parts.editorWorkerService)),
      json: urlOf(assets.add('graphiql-json', 'js', parts.jsonWorker)),
      graphql: urlOf(assets.add('graphiql-graphql', 'js', withFieldsInOrder(parts.graphqlWorker))),
    },
    icon: addWebFile(assets, 'icon', 'svg'),
  };
};

export type GraphiqlAssets = Awaited<ReturnType<typeof loadGraphiqlAssets>>;
