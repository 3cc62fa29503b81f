import { lookAtDialogs } from "./check-dialogs.ts";
import { ARTICLE_DIALOGS } from "./dialogs.ts";

lookAtDialogs(ARTICLE_DIALOGS);
