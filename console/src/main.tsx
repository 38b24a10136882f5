import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app.js';
import './styles/base.css';

const root = document.getElementById('root');
if (root === null) throw new Error('The page lacks #root.');
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
