/** An application that has the server in it. */
@NullMarked
package com.example.shop;

import org.jspecify.annotations.NullMarked;
