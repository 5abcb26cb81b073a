#include "contact/terms.h"
