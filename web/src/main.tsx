import { render } from 'preact';
import '@fontsource-variable/atkinson-hyperlegible-next/wght.css';
import './design/tokens.css';
import './design/controls.css';
import './app/app.css';
import './requests/requests.css';
import './passages/passages.css';
import './filters/filters.css';
import './feedback/feedback.css';
import './people/people.css';
import './settings/settings.css';
import './sign-in/sign-in.css';
import './documents/documents.css';
import './search/search.css';
import './ask/ask.css';
import './source/source.css';
import './chats/chats.css';
import './evaluation/evaluation.css';
import { App } from './app/app.js';
import { applyTheme } from './app/theme.js';
import { drawInLanguage } from './language/chosen.js';
import { refuseStrayFiles } from './design/drop-target.js';

applyTheme();
refuseStrayFiles();
const root = document.getElementById('app');
if (root === null) throw new Error('the page has no #app');
let isDrawn = false;
await drawInLanguage(() => {
  if (!isDrawn) root.replaceChildren(); // removes the content that is shown while the scripts load
  isDrawn = true;
  render(<App />, root);
});
